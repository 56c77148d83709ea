// Text that is code elsewhere.
// returns: ["answer","answer"]
const html = '<img src=x onerror="fetch(1)"><script>alert(1)</script>\'"--><![CDATA[';
const sql = "'; drop table runs; -- \u0000 %s %n ${x} {{7*7}} $(id) `id`";
phase(html);
log(sql);
return [
  await agents.run("say answer", { label: html, groupId: html, key: html }),
  await agents.run("say answer", { label: sql, groupId: sql, key: sql }),
];
