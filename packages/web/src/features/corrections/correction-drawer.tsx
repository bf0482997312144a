import { Drawer, Progress, Skeleton, Stack, Title } from '@mantine/core';
import { reratingApi, type ReratingData } from '@tollgate/contract';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ReceiptText } from 'lucide-react';
import { useMemo, useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { openDialogs } from '../../shared/dialog/dialog.ts';
import { LoadError } from '../../shared/state/load-error.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import classes from './corrections.module.css';
import { CorrectionFacts, Sums } from './facts.tsx';
import { correctionQuery, correctionRowsQuery, correctionsKey, isUnderWay } from './queries.ts';
import { rowColumns } from './row-columns.tsx';
import { State } from './state.tsx';
import { text } from './text.ts';
import { UndoButton } from './undo.tsx';

interface CorrectionDrawerProps {
  /** 0 for none. */
  id: number;
  onClose: () => void;
}

/** One correction: progress, amounts, affected payers; buttons to stop and undo it. */
export function CorrectionDrawer({ id, onClose }: CorrectionDrawerProps) {
  const t = useTranslate();
  const isPhone = useMediaQuery(phoneQuery) ?? false;
  const isCovered = openDialogs.use().length > 0;
  return (
    <Drawer
      opened={id > 0}
      onClose={onClose}
      // The key closes the dialog above the drawer.
      closeOnEscape={!isCovered}
      title={t(text.drawer, { id })}
      size={isPhone ? '100%' : 760}
      closeButtonProps={{ 'aria-label': t(text.close) }}
    >
      {id > 0 && <Correction key={id} id={id} />}
    </Drawer>
  );
}

function Correction({ id }: { id: number }) {
  const { data, error, refetch } = useQuery(correctionQuery(id));
  if (!data) return error ? <LoadError error={error} onRetry={refetch} /> : <Skeleton height={240} mt="md" />;
  return (
    <Stack gap="lg" pt="md">
      <StateAndActions correction={data} />
      <Sums correction={data} />
      <CorrectionFacts correction={data} />
      <Charges correction={data} />
    </Stack>
  );
}

/** State of the correction: a progress bar and a stop button while it runs, an undo button afterwards. */
function StateAndActions({ correction }: { correction: ReratingData }) {
  const t = useTranslate();
  const { state, progress, id, corrected_rows: rows } = correction;
  const mayUndo = (state === 'done' || state === 'stopped') && rows > 0;
  return (
    <div className={classes.progress}>
      <State correction={correction} />
      <span className={classes.bar}>
        {isUnderWay(correction) && <Progress value={progress * 100} aria-label={t(text.progress)} />}
      </span>
      {state === 'running' && <StopButton id={id} />}
      {mayUndo && <UndoButton id={id} />}
    </div>
  );
}

function StopButton({ id }: { id: number }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: () => call(reratingApi.stop, { rerating: id }),
    onSettled: () => client.invalidateQueries({ queryKey: correctionsKey }),
  });
  const ask = async () => {
    const question = { title: t(text.stopTitle), body: t(text.stopBody), action: t(text.stop) };
    if (await confirm(question)) stop.mutate();
  };
  return (
    <MutationButton variant="default" loading={stop.isPending} onClick={() => void ask()}>
      {t(text.stop)}
    </MutationButton>
  );
}

function Charges({ correction }: { correction: ReratingData }) {
  const t = useTranslate();
  const [page, setPage] = useState(1);
  const paging = usePaging(page, setPage);
  const rows = useQuery(correctionRowsQuery(correction, page, paging.pageSize));
  const items = rows.data?.items;
  const columns = useMemo(() => rowColumns(items ?? []), [items]);
  const isEarly = isUnderWay(correction);
  return (
    <section>
      <Title order={3} size="h5" mb="xs">
        {t(text.rows)}
      </Title>
      <DataTable
        bare
        name="correction-rows"
        label={t(text.rows)}
        columns={columns}
        rowId={(row) => String(row.id)}
        query={{ ...rows, data: items }}
        paging={{ ...paging, total: rows.data?.total ?? 0 }}
        empty={
          <EmptyState
            icon={<ReceiptText size={20} />}
            title={t(isEarly ? text.notYet : text.noRows)}
            hint={isEarly ? undefined : t(text.noRowsHint)}
          />
        }
      />
    </section>
  );
}
