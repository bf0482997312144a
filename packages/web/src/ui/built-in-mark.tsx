import { KeyRound } from 'lucide-react';
import { siteMarks } from './site-marks.ts';

/** The mark of a site that has one built in, else a key. */
export function BuiltInMark({ id, size }: { id: string; size: number }) {
  const path = siteMarks[id];
  if (path === undefined) return <KeyRound size={size} aria-hidden="true" />;
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="currentColor"
      aria-hidden="true"
      focusable="false"
    >
      <path d={path} />
    </svg>
  );
}
