export { visible } from './visible.ts';
