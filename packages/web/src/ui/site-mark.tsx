import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { siteMarks } from './site-marks.ts';

interface SiteMarkProps {
  /** The way to sign in, as addresses call it. */
  id: string;
  /** Where a picture is, for sites that have none built in; '' for a neutral mark. */
  logo?: string | undefined;
  /** Width and height in pixels. */
  size?: number;
}

/** The mark of another site: its own, the picture that root chose, else a neutral one. Decorative; the name stands beside it. */
export function SiteMark({ id, logo = '', size = 18 }: SiteMarkProps) {
  const [broken, setBroken] = useState('');
  const path = siteMarks[id];
  if (logo !== '' && logo !== broken) {
    return (
      <img
        src={logo}
        alt=""
        width={size}
        height={size}
        style={{ objectFit: 'contain', borderRadius: 3 }}
        onError={() => setBroken(logo)}
      />
    );
  }
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
