import { ActionIcon, NativeSelect, Pagination } from '@mantine/core';
import { pageSizes } from '@tollgate/contract';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import classes from './data-table.module.css';
import { text } from './text.ts';
import type { Paging } from './types.ts';

interface PagerProps {
  paging: Paging;
  /** Number of rows on this page. */
  shown: number;
}

/** The position in the list, and the pager buttons. */
export function Pager({ paging, shown }: PagerProps) {
  const t = useTranslate();
  const { page, pageSize, onPageSize } = paging;
  return (
    <div className={classes.foot}>
      <Range paging={paging} shown={shown} />
      <NativeSelect
        size="xs"
        aria-label={t(text.pageSize)}
        value={String(pageSize)}
        onChange={(event) => onPageSize(Number(event.currentTarget.value))}
        data={pageSizes.map((size) => ({ value: String(size), label: t(text.perPage, { count: size }) }))}
      />
      {paging.total === null ? (
        <OpenPages paging={paging} shown={shown} />
      ) : (
        <Pagination
          size="sm"
          total={Math.max(1, Math.ceil(paging.total / pageSize))}
          value={page}
          onChange={paging.onPage}
          siblings={1}
          aria-label={t(text.pages)}
          getControlProps={(control) => ({
            'aria-label': t(control === 'next' || control === 'last' ? text.next : text.previous),
          })}
          getItemProps={(item) => ({ 'aria-label': t(text.page, { page: item }) })}
        />
      )}
    </div>
  );
}

function Range({ paging: { page, pageSize, total, exact = true }, shown }: PagerProps) {
  const t = useTranslate();
  const language = useLanguage();
  if (shown === 0) return <span className={classes.range} />;
  const start = formatNumber((page - 1) * pageSize + 1, language);
  const end = formatNumber((page - 1) * pageSize + shown, language);
  return (
    <span className={classes.range}>
      {total === null
        ? t(text.rangeOpen, { start, end })
        : t(exact ? text.range : text.rangeAtLeast, { start, end, total: formatNumber(total, language) })}
    </span>
  );
}

/** For lists of unknown length: enabled while the page is full. */
function OpenPages({ paging: { page, pageSize, onPage }, shown }: PagerProps) {
  const t = useTranslate();
  return (
    <>
      <ActionIcon
        variant="default"
        aria-label={t(text.previous)}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <ChevronLeft size={15} />
      </ActionIcon>
      <span>{t(text.page, { page })}</span>
      <ActionIcon
        variant="default"
        aria-label={t(text.next)}
        disabled={shown < pageSize}
        onClick={() => onPage(page + 1)}
      >
        <ChevronRight size={15} />
      </ActionIcon>
    </>
  );
}
