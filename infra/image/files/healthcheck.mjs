// `healthcheck.mjs [PORT]`: exit status 0 if the process in this container is alive. The image has no shell and no curl.
const port = process.argv[2] ?? process.env.TENANTSCOPE_HEALTH_PORT;
try {
  const response = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(4_000) });
  if (!response.ok) throw new Error(`/livez responded with ${response.status}: ${await response.text()}`);
} catch (error) {
  console.error(error.cause?.message ?? error.message);
  process.exitCode = 1;
}
