// A thenable that resolves with itself.
// ends: turn_timeout
const ring = {
  then(resolve) {
    resolve(ring);
  },
};
return ring;
