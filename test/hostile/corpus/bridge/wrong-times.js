// Times that are no times.
// returns: ["TypeError","TypeError","TypeError","TypeError","TypeError","TypeError","TypeError"]
return [Number.NaN, -1, Infinity, 1e308, "99999999999d", "1h; drop", { valueOf: () => 1 }].map((time) => {
  try {
    sleep(time);
    return "accepted";
  } catch (error) {
    return error.name;
  }
});
