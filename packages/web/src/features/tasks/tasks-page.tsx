import { role } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { ListTodo } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { boundsOf } from '../../shared/time-range/range.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { tasksQuery, type TaskFilter } from './base/queries.ts';
import { taskRanges, taskSearch } from './base/search.ts';
import { text } from './base/text.ts';
import { workOfTask } from './base/work.ts';
import { Filters } from './list/filters.tsx';
import { taskColumns } from './list/task-columns.tsx';
import { Opened } from './view/opened.tsx';
import { Views } from './views.tsx';

/** The filters of the address as parameters of the call: its times are in seconds. */
function useFilter(isAdmin: boolean): TaskFilter {
  const [{ range, start, end, id, channel, platform, status }] = useUrlState(taskSearch);
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  const bounds = boundsOf({ range, start, end }, now);
  return {
    task_id: id,
    platform,
    status,
    start_timestamp: bounds.start,
    end_timestamp: bounds.end,
    ...(isAdmin && { channel_id: channel }),
  };
}

/** Songs, lyrics, videos and batches: the user's own, for administrators all. */
export function Page() {
  const t = useTranslate();
  return (
    <>
      <PageHead title={t(text.tasks)} hint={t(text.tasksHint)} actions={<Views open="/task" />} />
      <Rows />
    </>
  );
}

function Rows() {
  const t = useTranslate();
  const isAdmin = (useCurrentUser()?.role ?? 0) >= role.admin;
  const [{ p, open, ...filters }, setSearch] = useUrlState(taskSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const tasks = useQuery(tasksQuery(isAdmin, useFilter(isAdmin), p, paging.pageSize));
  const rows = tasks.data?.rows;
  const works = useMemo(() => rows?.filter(({ platform }) => platform !== 'batch').map(workOfTask), [rows]);
  const onOpen = useCallback((id: string) => setSearch({ open: id }), [setSearch]);
  const columns = useMemo(() => taskColumns(isAdmin, t, onOpen), [isAdmin, t, onOpen]);
  return (
    <Panel flush>
      <DataTable
        name="tasks"
        label={t(text.tasks)}
        columns={columns}
        rowId={(row) => String(row.id)}
        query={{ ...tasks, data: rows }}
        empty={<EmptyState icon={<ListTodo size={20} />} title={t(text.noTasks)} hint={t(text.emptyHint)} />}
        toolbar={
          <Filters
            value={filters}
            isAdmin={isAdmin}
            ranges={taskRanges}
            onChange={(change, options) => setSearch({ ...change, p: 1 }, options)}
            onQuery={() => void tasks.refetch()}
          />
        }
        paging={{ ...paging, total: tasks.data?.total ?? 0, exact: tasks.data?.exact }}
      />
      <Opened works={works} id={open} onClose={() => setSearch({ open: '' })} />
    </Panel>
  );
}
