// Throws a revoked proxy.
// ends: script_error
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
throw proxy;
