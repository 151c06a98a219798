/**
 * The product that a User-Agent header names: the browser behind `Mozilla/5.0`, the last part of SharePoint's
 * `NONISV|Vendor|App/1.0`, else the text before the first slash.
 */
export function parseUserAgentProduct(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const product = (userAgent.split('/', 1)[0] as string).trim();
  const last = product.slice(product.lastIndexOf('|') + 1).trim();
  if (last !== 'Mozilla') return last || null;
  return browsers.find(([mark]) => userAgent.includes(mark))?.[1] ?? last;
}

/** In this order: Edge and Opera also name Chrome, and Chrome also names Safari. */
const browsers: readonly (readonly [mark: string, name: string])[] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['Trident/', 'Internet Explorer'],
];
