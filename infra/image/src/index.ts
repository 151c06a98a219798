export { buildArchive } from './archive/build-archive.ts';
export { type BuiltImage, buildImage } from './build-image.ts';
export { readVersion } from './version.ts';
