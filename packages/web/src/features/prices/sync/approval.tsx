import { Button, Group, Radio } from '@mantine/core';
import {
  cheapest,
  type PriceOffer,
  type SyncReport,
  type SyncRow,
  type DollarPrice,
} from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, FileX } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useStatus } from '../../../lib/api/status.ts';
import { type Translate, useTranslate } from '../../../lib/i18n.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import type { Column } from '../../../shared/data-table/types.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import classes from '../base/prices.module.css';
import { pricesQuery } from '../../../shared/prices/tables-query.ts';
import { useApprovePrices } from '../base/queries.ts';
import { Rehearsal } from '../base/rehearsal.tsx';
import { RuleForm } from './rule-form.tsx';
import { sourceNames, text } from './text.ts';
import { lazy } from '../../../lib/lazy.ts';
import { LazyMount } from '../../../shared/lazy/lazy-mount.tsx';
import { formatPrice } from '../../../shared/prices/prices.ts';
import { priceLabels } from '../base/classes.ts';

/** A price in one line, each class with its name; free classes are left out. */
function PriceLine({ dollars }: { dollars: DollarPrice }) {
  const t = useTranslate();
  const named = (Object.keys(priceLabels) as (keyof DollarPrice)[]).filter(
    (name) => dollars[name] !== undefined,
  );
  return (
    <span className={classes.words}>
      {named.map((name) => (
        <span key={name}>
          <span className={classes.quiet}>{t(priceLabels[name])}</span> {formatPrice(dollars[name] ?? 0)}
        </span>
      ))}
    </span>
  );
}

const Review = lazy(async () => ({ default: (await import('../base/review.tsx')).Review }));

/** The chosen offer of each model; the first by default. */
type Choices = ReadonlyMap<string, number>;

const settled = { error: null, isFetching: false, refetch: () => undefined };
const pageSizeAtFirst = 20;

/** The ticked changes, chosen by hand or by a rule, and their approval. */
function useApproval(rows: readonly SyncRow[]) {
  const t = useTranslate();
  const approving = useApprovePrices();
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [byRule, setByRule] = useState<ReadonlySet<string>>(new Set());
  const [choices, setChoices] = useState<Choices>(new Map());
  /** Ticking many at once reviews none of them, so offers that need a review are skipped. */
  const tick = (next: ReadonlySet<string>) => {
    const added = [...next].filter((model) => !ids.has(model));
    if (added.length <= 1) return setIds(next);
    const needsLook = rows.filter(({ decided, offers }) => !decided || offers[0]?.needs_own);
    const out = new Set(needsLook.map(({ model }) => model).filter((model) => !ids.has(model)));
    setByRule(new Set([...byRule, ...added]));
    setIds(new Set([...next].filter((model) => !out.has(model))));
  };
  const select = (models: string[]) => {
    setByRule(new Set(models));
    setChoices(new Map());
    setIds(new Set(models));
  };
  const choose = useCallback((model: string, index: number) => {
    setChoices((all) => new Map([...all, [model, index]]));
    setByRule((all) => new Set([...all].filter((each) => each !== model)));
  }, []);
  const chosen = useMemo(
    () =>
      rows
        .filter(({ model }) => ids.has(model))
        .map(({ model, seen, offers }) => {
          const set = offers[choices.get(model) ?? 0]?.set ?? {};
          return { model, seen, set, own: !byRule.has(model) };
        }),
    [rows, ids, byRule, choices],
  );
  const [isReviewed, setReviewed] = useState(false);
  const approve = () =>
    approving.mutate(chosen, {
      onSuccess: ({ changed }) => {
        setReviewed(false);
        setIds(new Set());
        toast.good(t(text.approved, { count: changed }));
      },
    });
  const columns = useMemo(() => columnsOf(choices, choose), [choices, choose]);
  const review = { isOpen: isReviewed, set: setReviewed, approve, isPending: approving.isPending };
  return { ids, tick, select, columns, chosen, review };
}

/** Number of displayed names that are in no list. */
const maxNamed = 5;

function summaryOf(t: Translate, same: number, unlisted: readonly string[]): string {
  const sum = t(text.same, { count: same });
  if (unlisted.length === 0) return sum;
  const more = unlisted.length > maxNamed ? ' …' : '';
  const models = unlisted.slice(0, maxNamed).join(', ') + more;
  return `${sum} ${t(text.unlisted, { count: unlisted.length, models })}`;
}

/** Possible changes, ticked one by one or by a rule, and approved together. */
export function Approval({ report: { rows, same, unlisted, sources } }: { report: SyncReport }) {
  const t = useTranslate();
  const [page, setPage] = useState(1);
  const [pageSize, setPageSize] = useState(pageSizeAtFirst);
  const { ids, tick, select, columns, chosen, review } = useApproval(rows);
  const stored = useQuery(pricesQuery).data?.tables;
  const quotaPerUnit = useStatus()?.quota_per_unit ?? 500_000;
  const count = chosen.length;
  const isRead = sources.some(({ state }) => state === 'ok');
  return (
    <Panel
      flush
      title={t(text.rows)}
      hint={isRead ? summaryOf(t, same, unlisted) : undefined}
      actions={
        <Group gap="xs">
          {stored && <Rehearsal stored={stored} changes={chosen} />}
          <Button disabled={count === 0 || !stored} onClick={() => review.set(true)}>
            {t(text.approve, { count })}
          </Button>
        </Group>
      }
    >
      <LazyMount when={review.isOpen}>
        {review.isOpen && stored && (
          <Review
            title={t(text.approveTitle, { count })}
            action={t(text.approveAction)}
            changes={chosen}
            stored={stored}
            quotaPerUnit={quotaPerUnit}
            isPending={review.isPending}
            onSave={review.approve}
            onClose={() => review.set(false)}
          />
        )}
      </LazyMount>
      {rows.length > 0 && <RuleForm rows={rows} onSelect={select} />}
      <DataTable
        bare
        name="price-sync"
        label={t(text.rows)}
        columns={columns}
        rowId={(row) => row.model}
        query={{ ...settled, data: rows.slice((page - 1) * pageSize, page * pageSize) }}
        selection={{ ids, onChange: tick }}
        faded={(row) => !row.served}
        paging={{ page, pageSize, total: rows.length, onPage: setPage, onPageSize: setPageSize }}
        empty={
          isRead ? (
            <EmptyState icon={<CircleCheck size={20} />} title={t(text.nothing)} hint={t(text.nothingHint)} />
          ) : (
            <EmptyState icon={<FileX size={20} />} title={t(text.noList)} hint={t(text.noListHint)} />
          )
        }
      />
    </Panel>
  );
}

const columnsOf = (choices: Choices, onChoose: (model: string, index: number) => void): Column<SyncRow>[] => [
  { id: 'model', title: text.model, role: 'title', fixed: true, render: (row) => <Model row={row} /> },
  { id: 'vendor', title: text.vendor, roomy: true, render: (row) => row.vendor },
  {
    id: 'today',
    title: text.today,
    render: (row) => row.today && <PriceLine dollars={main(row.today)} />,
  },
  {
    id: 'offers',
    title: text.offers,
    render: (row) => <Offers row={row} chosen={choices.get(row.model) ?? 0} onChoose={onChoose} />,
  },
];

/** The classes that users compare first; the page of prices has all others. */
const main = ({ call, input, output, cacheRead }: PriceOffer['dollars']) =>
  Object.fromEntries(
    Object.entries({ call, input, output, cacheRead }).filter(([, value]) => value !== undefined),
  );

function Model({ row }: { row: SyncRow }) {
  const t = useTranslate();
  return (
    <span className={classes.model}>
      {row.model}
      {row.state === 'new' && <Tag tone="warn">{t(text.isNew)}</Tag>}
      {row.offers.length > 1 && <Tag tone="orange">{t(text.disagree)}</Tag>}
    </span>
  );
}

interface OffersProps {
  row: SyncRow;
  chosen: number;
  onChoose: (model: string, index: number) => void;
}

function Offers({ row, chosen, onChoose }: OffersProps) {
  const [only, other] = row.offers;
  if (other === undefined) return only && <Offer offer={only} today={row.today} />;
  return (
    <div className={classes.offers} role="radiogroup" aria-label={row.model}>
      {row.offers.map((offer, index) => (
        <Radio
          key={offer.sources.join()}
          name={row.model}
          checked={index === chosen}
          onChange={() => onChoose(row.model, index)}
          label={<Offer offer={offer} today={row.today} />}
        />
      ))}
    </div>
  );
}

function Offer({ offer, today }: { offer: PriceOffer; today: SyncRow['today'] }) {
  const t = useTranslate();
  return (
    <span className={classes.offer}>
      <PriceLine dollars={offer.dollars} />
      <span className={classes.quiet}>{offer.sources.map((source) => sourceNames[source]).join(', ')}</span>
      {today && isAsToday(offer, today) && <Tag>{t(text.asToday)}</Tag>}
      <Change factor={offer.dearer} />
      <Change factor={today && cheapest(today, offer.dollars)} isCheaper />
      {offer.needs_own && <Tag tone="bad">{t(text.jump)}</Tag>}
    </span>
  );
}

/** True for an offer that equals the current prices: its approval changes nothing. */
const isAsToday = ({ dearer, dollars }: PriceOffer, today: NonNullable<SyncRow['today']>): boolean =>
  dearer !== null && dearer <= 1 && (cheapest(today, dollars) ?? 0) >= 1;

/** The largest relative change among the classes; none without a change. */
function Change({ factor, isCheaper = false }: { factor: number | null; isCheaper?: boolean }) {
  const t = useTranslate();
  if (factor === null || (isCheaper ? factor >= 1 : factor <= 1)) return null;
  const percent = Number((Math.abs(factor - 1) * 100).toPrecision(3));
  return <span className={classes.quiet}>{t(isCheaper ? text.cheaper : text.dearer, { percent })}</span>;
}
