export { buildImage } from './build-image.ts';
export { readVersion } from './version.ts';
