// A proxy that was revoked before the result is written.
// ends: result_not_json | script_error
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
return { proxy };
