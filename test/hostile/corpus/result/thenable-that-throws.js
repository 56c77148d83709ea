// A thenable that throws, after it resolved.
// returns: "first"
return {
  then(resolve) {
    resolve("first");
    throw new Error("second");
  },
};
