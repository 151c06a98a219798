/** A pure function whose answer for the same object is worked out once. */
export function remembered<About extends object, Answer>(answer: (about: About) => Answer): (about: About) => Answer {
  const known = new WeakMap<About, Answer>();
  return (about) => {
    const found = known.get(about);
    if (found !== undefined) return found;
    const made = answer(about);
    known.set(about, made);
    return made;
  };
}
