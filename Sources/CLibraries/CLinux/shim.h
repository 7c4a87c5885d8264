#include <termios.h>
#include <sys/ioctl.h>
