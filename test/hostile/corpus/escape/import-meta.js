// The module's own address.
// ends: script_syntax
return import.meta.url;
