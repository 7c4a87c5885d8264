// Placeholder until the first line lands.
