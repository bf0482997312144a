import { useTranslate } from '../../lib/i18n.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { text } from './base/text.ts';
import { Sync } from './sync/sync.tsx';

/** The prices of this site beside the vendors' lists; for root. */
export function Page() {
  const t = useTranslate();
  return (
    <>
      <PageHead title={t(text.vendors)} hint={t(text.vendorsHint)} />
      <Sync />
    </>
  );
}
