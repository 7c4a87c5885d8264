"""What is planted, where, and the test that is to catch it."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Defect:
    number: int
    name: str
    # The edit: `old` stands once in `file`.
    file: str
    old: str
    new: str
    # What `swift test --filter` takes: target, suite, and test where the others of the suite would
    # wait for what the defect takes away.
    filter: str
    # The test that has to be among the failing ones.
    caught_by: str

    @property
    def target(self):
        return self.filter.split(".")[0]
