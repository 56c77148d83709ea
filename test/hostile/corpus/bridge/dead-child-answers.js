// A child that fails with a message of two megabytes.
// returns: ["failed",true]
try {
  await agents.run("fail-long 2000000");
} catch (error) {
  return [error.status, error.message.length > 0];
}
