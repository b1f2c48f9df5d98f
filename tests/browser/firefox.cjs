// Playwright drives a stock Firefox by WebDriver BiDi, but at its start sends a command that Firefox
// ESR 153 does not know: which colors a page prefers. Another, which does nothing, goes in its place.
const written = JSON.stringify;
JSON.stringify = (value, ...rest) => written(value?.method === "emulation.setMediaFeaturesOverride"
  ? { id: value.id, method: "session.status", params: {} } : value, ...rest);
