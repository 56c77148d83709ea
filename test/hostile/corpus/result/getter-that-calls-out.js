// A getter that starts children while the result is written.
// returns: {"a":1}
return {
  get a() {
    agents.run("say x").catch(() => {});
    log("from a getter");
    return 1;
  },
};
