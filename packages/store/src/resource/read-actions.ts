/** Actions that opened a file, by seeing or by taking it away, as the log compares them: in lower case. */
export const readActions: readonly string[] = [
  'fileaccessed',
  'fileaccessedextended',
  'filepreviewed',
  'filedownloaded',
  'filesyncdownloadedfull',
  'filesyncdownloadedpartial',
  'filecopied',
  // Google Drive
  'view',
  'download',
  'print',
  'copy',
];
