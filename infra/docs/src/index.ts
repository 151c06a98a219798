export { type WrittenFile, writtenFiles, writtenFolders } from './written.ts';
