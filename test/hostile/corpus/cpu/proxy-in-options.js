// A proxy whose ownKeys trap spins while options are read.
// ends: turn_timeout
agents.run(
  "say x",
  new Proxy(
    {},
    {
      ownKeys() {
        for (;;);
      },
    },
  ),
);
