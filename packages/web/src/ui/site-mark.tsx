import { Suspense, useState } from 'react';
import { lazy } from '../lib/lazy.ts';

interface SiteMarkProps {
  /** The way to sign in, as addresses call it. */
  id: string;
  /** Where a picture is, for sites that have none built in; '' for a neutral mark. */
  logo?: string | undefined;
  /** Width and height in pixels. */
  size?: number;
}

/** The marks come with the first site that has one: most log-in pages have none. */
const BuiltInMark = lazy(async () => ({ default: (await import('./built-in-mark.tsx')).BuiltInMark }));

/** The mark of another site: its own, the picture that root chose, else a neutral one. Decorative; the name stands beside it. */
export function SiteMark({ id, logo = '', size = 18 }: SiteMarkProps) {
  const [broken, setBroken] = useState('');
  if (logo === '' || logo === broken) {
    return (
      <Suspense fallback={<span style={{ display: 'inline-block', width: size, height: size }} />}>
        <BuiltInMark id={id} size={size} />
      </Suspense>
    );
  }
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
