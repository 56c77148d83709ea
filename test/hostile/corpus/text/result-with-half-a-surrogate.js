// A result that no UTF-8 can hold as it is.
// returns: ["\ud800","\udc00x","\ud83d\ude00"]
return ["\ud800", "\udc00x", "\ud83d\ude00"];
