import { Button, Group, Modal } from '@mantine/core';
import { redemptionStatus } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Download, Plus, Ticket } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { downloadText } from '../../lib/format/csv.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';
import { useEdited } from '../../shared/url-state/use-edited.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { isExpired, redemptionColumns } from './columns.tsx';
import { redemptionQuery, redemptionsQuery, useRemoveInvalid } from './queries.ts';
import { redemptionSearch } from './search.ts';
import { text } from './text.ts';

const CodeDrawer = lazy(async () => ({ default: (await import('./code-drawer.tsx')).CodeDrawer }));

const LoadErrorDrawer = lazy(async () => ({
  default: (await import('../../shared/state/load-error-drawer.tsx')).LoadErrorDrawer,
}));

interface Made {
  name: string;
  keys: readonly string[];
}

/** The codes of the address's filters, and the pager. */
function useCodeList() {
  const [{ p, keyword, sort }, setSearch] = useUrlState(redemptionSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const codes = useQuery(redemptionsQuery(p, paging.pageSize, keyword, sort));
  return { codes, paging };
}

export function Page() {
  const t = useTranslate();
  const [{ edit }, setSearch] = useUrlState(redemptionSearch);
  const { codes } = useCodeList();
  const edited = useEdited({ edit, rows: codes.data?.items, query: redemptionQuery });
  const close = () => setSearch({ edit: '' });
  const [made, setMade] = useState<Made | null>(null);
  const add = (
    <Button leftSection={<Plus size={16} />} onClick={() => setSearch({ edit: 'new' })}>
      {t(text.add)}
    </Button>
  );

  return (
    <>
      <PageHead
        title={t(text.title)}
        hint={t(text.hint)}
        actions={
          <Group gap="xs">
            <ClearButton />
            {add}
          </Group>
        }
      />
      <CodeList add={add} />
      <LazyMount when={edited.opened}>
        <CodeDrawer
          opened={edited.opened}
          code={edited.row}
          onClose={close}
          onCreated={(keys, name) => {
            close();
            setMade({ keys, name });
          }}
          onSaved={() => {
            close();
            toast.good(t(text.saved));
          }}
        />
      </LazyMount>
      <LazyMount when={edited.problem !== null}>
        <LoadErrorDrawer
          title={t(text.editTitle)}
          error={edited.problem}
          onRetry={edited.retry}
          onClose={close}
        />
      </LazyMount>
      <MadeDialog made={made} onClose={() => setMade(null)} />
    </>
  );
}

function ClearButton() {
  const t = useTranslate();
  const confirm = useConfirm();
  const clear = useRemoveInvalid();
  const ask = async () => {
    const title = t(text.clearTitle);
    if (!(await confirm({ title, body: t(text.clearBody), action: t(text.remove), danger: true }))) return;
    clear.mutate({}, { onSuccess: (count) => toast.good(t(text.cleared, { count })) });
  };
  return (
    <MutationButton variant="default" loading={clear.isPending} onClick={() => void ask()}>
      {t(text.clear)}
    </MutationButton>
  );
}

function CodeList({ add }: { add: ReactNode }) {
  const t = useTranslate();
  const [{ keyword, sort }, setSearch] = useUrlState(redemptionSearch);
  const { codes, paging } = useCodeList();
  return (
    <Panel flush>
      <DataTable
        name="redemptions"
        label={t(text.title)}
        columns={redemptionColumns}
        rowId={(row) => String(row.id)}
        query={{ ...codes, data: codes.data?.items }}
        sorting={{ value: sort, onChange: (next) => setSearch({ sort: next, p: 1 }) }}
        faded={(row) => row.status !== redemptionStatus.unused || isExpired(row)}
        empty={
          <EmptyState
            icon={<Ticket size={20} />}
            title={t(keyword === '' ? text.emptyTitle : text.nothingFound)}
            action={keyword === '' ? add : undefined}
          />
        }
        toolbar={
          <FilterBar
            first={
              <SearchField
                label={t(text.search)}
                value={keyword}
                onChange={(value) => setSearch({ keyword: value, p: 1 }, { typed: true })}
              />
            }
          />
        }
        paging={{ ...paging, total: codes.data?.total ?? 0 }}
      />
    </Panel>
  );
}

/** The new codes, to copy or to download. */
function MadeDialog({ made, onClose }: { made: Made | null; onClose: () => void }) {
  const t = useTranslate();
  const lines = made?.keys.join('\n') ?? '';
  return (
    <Modal
      opened={made !== null}
      onClose={onClose}
      size="lg"
      title={t(text.made, { count: made?.keys.length ?? 0 })}
      closeButtonProps={{ 'aria-label': t(text.close) }}
    >
      <CodeBlock code={lines} label={t(text.code)} />
      <Group justify="flex-end" mt="md" gap="xs">
        <Button
          variant="default"
          leftSection={<Download size={14} />}
          onClick={() => downloadText(`${made?.name ?? 'codes'}.txt`, `${lines}\n`)}
        >
          {t(text.download)}
        </Button>
        <CopyButton value={lines} label={t(text.copyAll)} />
      </Group>
    </Modal>
  );
}
