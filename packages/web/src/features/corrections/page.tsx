import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus, ReceiptText } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { correctionColumns } from './columns.tsx';
import { correctionsQuery } from './queries.ts';
import { correctionSearch } from './search.ts';
import { text } from './text.ts';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';

const CorrectionDrawer = lazy(async () => ({
  default: (await import('./correction-drawer.tsx')).CorrectionDrawer,
}));

const RehearsalDrawer = lazy(async () => ({
  default: (await import('../../shared/price-rehearsal/rehearsal-drawer.tsx')).RehearsalDrawer,
}));

/** Corrections of past charges; for root. */
export function Page() {
  const t = useTranslate();
  const [{ open, rehearse }, setSearch] = useUrlState(correctionSearch);
  const [isTrying, setTrying] = useState(false);
  return (
    <>
      <PageHead
        title={t(text.title)}
        hint={t(text.hint)}
        actions={
          <Button leftSection={<Plus size={15} />} onClick={() => setTrying(true)}>
            {t(text.fresh)}
          </Button>
        }
      />
      <Corrections />
      <LazyMount when={open !== 0}>
        <CorrectionDrawer id={open} onClose={() => setSearch({ open: 0 })} />
      </LazyMount>
      <Suspense fallback={null}>
        {(isTrying || rehearse !== '') && (
          <RehearsalDrawer
            opened
            draft={noDraft}
            {...(rehearse !== '' && { models: rehearse === '*' ? [] : rehearse.split(',') })}
            onClose={() => {
              setTrying(false);
              setSearch({ rehearse: '' });
            }}
            onCorrect={(rerating) => {
              setTrying(false);
              setSearch({ open: rerating, rehearse: '', p: 1 });
            }}
          />
        )}
      </Suspense>
    </>
  );
}

/** The current prices. */
const noDraft = {};

function Corrections() {
  const t = useTranslate();
  const [{ p }, setSearch] = useUrlState(correctionSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const corrections = useQuery(correctionsQuery(p, paging.pageSize));
  const items = corrections.data?.items;
  const columns = useMemo(() => correctionColumns(items ?? []), [items]);
  return (
    <Panel flush>
      <DataTable
        bare
        name="corrections"
        label={t(text.title)}
        columns={columns}
        rowId={(row) => String(row.id)}
        query={{ ...corrections, data: items }}
        paging={{ ...paging, total: corrections.data?.total ?? 0 }}
        empty={
          <EmptyState icon={<ReceiptText size={20} />} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />
        }
      />
    </Panel>
  );
}
