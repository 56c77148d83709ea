// The spin is in a getter that the surface itself reads.
// ends: turn_timeout
agents.run("say x", {
  get label() {
    for (;;);
  },
});
