// Tries to end twice: the result, then a rejection in the same turn.
// ends: unhandled_rejection
Promise.resolve()
  .then(() => {})
  .then(() => {
    throw new Error("after the end");
  });
return "first";
