/** The product's sign: a shield. */
export function Mark() {
  return (
    <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true" focusable="false">
      <path fill="var(--accent)" d="M8 1 2 3.2v4.3c0 3.6 2.5 6.3 6 7.5 3.5-1.2 6-3.9 6-7.5V3.2z" />
      <path fill="none" stroke="var(--surface)" strokeWidth="1.6" d="m5.4 8 1.9 1.9 3.4-3.6" />
    </svg>
  );
}
