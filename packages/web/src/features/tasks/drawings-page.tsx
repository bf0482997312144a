import { Stack } from '@mantine/core';
import { role } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Images } from 'lucide-react';
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
import { type DrawingFilter, drawingsQuery } from './base/queries.ts';
import { drawingRanges, drawingSearch } from './base/search.ts';
import { text } from './base/text.ts';
import { workOfDrawing } from './base/work.ts';
import { drawingColumns } from './list/drawing-columns.tsx';
import { Filters } from './list/filters.tsx';
import { Opened } from './view/opened.tsx';
import { Views } from './views.tsx';
import { useStatus } from '../../lib/api/status.ts';
import { Notice } from '../../ui/notice.tsx';

/** Shown to administrators while callbacks are off: root can switch them on. */
function CallbackNotice() {
  const t = useTranslate();
  const status = useStatus();
  const level = useCurrentUser()?.role ?? 0;
  if (level < role.admin || !status || status.mj_notify_enabled) return null;
  return (
    <Notice
      actions={
        level >= role.root && (
          <Link to="/setting" search={{ open: 'MjNotifyEnabled' }}>
            {t(text.openSettings)}
          </Link>
        )
      }
    >
      {t(text.callbackOff)}
    </Notice>
  );
}

/** The filters of the address as parameters of the call: its times are in ms. */
function useFilter(isAdmin: boolean): DrawingFilter {
  const [{ range, start, end, id, channel }] = useUrlState(drawingSearch);
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  const bounds = boundsOf({ range, start, end }, now);
  return {
    mj_id: id,
    start_timestamp: bounds.start * 1000,
    end_timestamp: bounds.end === 0 ? 0 : bounds.end * 1000 + 999,
    ...(isAdmin && { channel_id: channel }),
  };
}

/** Drawings by Midjourney: the user's own, for administrators all. */
export function Page() {
  const t = useTranslate();
  return (
    <>
      <PageHead title={t(text.drawings)} hint={t(text.drawingsHint)} actions={<Views open="/midjourney" />} />
      <Stack gap={14}>
        <CallbackNotice />
        <Rows />
      </Stack>
    </>
  );
}

function Rows() {
  const t = useTranslate();
  const isAdmin = (useCurrentUser()?.role ?? 0) >= role.admin;
  const [{ p, open, ...filters }, setSearch] = useUrlState(drawingSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const drawings = useQuery(drawingsQuery(isAdmin, useFilter(isAdmin), p, paging.pageSize));
  const rows = drawings.data?.rows;
  const works = useMemo(() => rows?.map(workOfDrawing), [rows]);
  const onOpen = useCallback((id: string) => setSearch({ open: id }), [setSearch]);
  const columns = useMemo(() => drawingColumns(isAdmin, onOpen), [isAdmin, onOpen]);
  return (
    <Panel flush>
      <DataTable
        name="drawings"
        label={t(text.drawings)}
        columns={columns}
        rowId={(row) => String(row.id)}
        query={{ ...drawings, data: rows }}
        empty={<EmptyState icon={<Images size={20} />} title={t(text.noDrawings)} hint={t(text.emptyHint)} />}
        toolbar={
          <Filters
            value={filters}
            isAdmin={isAdmin}
            ranges={drawingRanges}
            onChange={(change, options) => setSearch({ ...change, p: 1 }, options)}
            onQuery={() => void drawings.refetch()}
          />
        }
        paging={{ ...paging, total: drawings.data?.total ?? 0, exact: drawings.data?.exact }}
      />
      <Opened works={works} id={open} onClose={() => setSearch({ open: '' })} />
    </Panel>
  );
}
