import { Suspense, useState } from 'react';
import { lazy } from '../lib/lazy.ts';

interface SiteMarkProps {
  /** The sign-in method, as in addresses. */
  id: string;
  /** Address of an icon, for sites without a built-in one; '' for a neutral icon. */
  logo?: string | undefined;
  /** Width and height in pixels. */
  size?: number;
}

/** The icons load with the first site that has one: most log-in pages have none. */
const BuiltInMark = lazy(async () => ({ default: (await import('./built-in-mark.tsx')).BuiltInMark }));

/** The icon of another site: built in, from root, or neutral. Decorative; the name is beside it. */
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
