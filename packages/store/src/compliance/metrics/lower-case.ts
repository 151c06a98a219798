/**
 * SQL of a text in lower case as JavaScript puts names, character by character. `lower()` of a column with the collation `"C"` leaves those beyond A to Z as they
 * are, and not every server has another collation. Most texts have none of them: 1,400 are searched for the others.
 */
export const toLowerCaseSql = (text: string): string =>
  `case when octet_length(${text}) = char_length(${text}) then lower(${text}) else translate(${text}, '${uppercase.join('')}', '${lowercase.join('')}') end`;

const lastCodePoint = 0x1_ffff;
const uppercase: string[] = [];
const lowercase: string[] = [];
for (let code = 0; code <= lastCodePoint; code++) {
  const character = String.fromCodePoint(code);
  const lower = character.toLowerCase();
  // In lower case İ is two characters, which translate() does not write.
  if (lower === character || [...lower].length > 1) continue;
  uppercase.push(character);
  lowercase.push(lower);
}
