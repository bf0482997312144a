import { Box, Button } from '@mantine/core';
import { isPricedIn, pricedName } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useStatus } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../../lib/session.ts';
import { pricesQuery } from '../../../shared/prices/tables-query.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Suspense } from 'react';
import { lazy } from '../../../lib/lazy.ts';
import type { ChannelForm } from './form.ts';
import { formText } from './form-text.ts';

const PriceFields = lazy(async () => ({ default: (await import('./price-fields.tsx')).PriceFields }));

/** More names than these are counted. */
const namesShown = 8;
/** An address has room for so many names. */
const namesLinked = 200;

/** The names whose prices count: those of callers, or those that a mapping leads to. */
function namesToPrice({ models, modelMapping, priceAfterMapping }: ChannelForm): string[] {
  const mapping = priceAfterMapping ? readMapping(modelMapping) : {};
  return [...new Set(models.map((model) => pricedName(follow(mapping, model))))];
}

/** The name at the end of a mapping; the model itself if the mapping runs in a circle, which saving refuses. */
function follow(mapping: Readonly<Record<string, unknown>>, model: string): string {
  const seen = new Set<string>();
  let name = model;
  while (Object.hasOwn(mapping, name) && mapping[name] !== name) {
    const next = mapping[name];
    if (typeof next !== 'string' || next === '') return name;
    if (seen.has(next)) return model;
    seen.add(next);
    name = next;
  }
  return name;
}

/** A half-typed mapping maps nothing. */
function readMapping(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Says which of a channel's models have no price, so that their calls are refused, and leads to pricing them. */
export function UnpricedModels({ form }: { form: ChannelForm }) {
  const t = useTranslate();
  const isRoot = mayAccess(useCurrentUser(), 'root');
  const servesUnpriced = useStatus()?.self_use_mode_enabled ?? false;
  const isAsked = form.models.length > 0 && !servesUnpriced;
  const tables = useQuery({ ...pricesQuery, enabled: isAsked }).data?.tables;
  if (tables === undefined || servesUnpriced) return null;
  const names = namesToPrice(form);
  const unpriced = names.filter((model) => !isPricedIn(tables, model));
  if (unpriced.length === 0) return null;
  const more = unpriced.length - namesShown;
  const pricesHere = isRoot && more <= 0;
  const shown = unpriced.slice(0, namesShown).join(', ');
  return (
    <Box mt="sm">
      <Notice
        tone="warn"
        role="status"
        actions={
          isRoot &&
          more > 0 && (
            <Button
              component="a"
              href={`/prices?${new URLSearchParams({ names: unpriced.slice(0, namesLinked).join(',') })}`}
              // The form keeps what was typed.
              target="_blank"
              rel="noreferrer"
              size="compact-sm"
              variant="default"
            >
              {t(formText.setPrices)}
            </Button>
          )
        }
      >
        {t(formText.unpriced, { count: unpriced.length, total: names.length })}{' '}
        {!pricesHere && (more > 0 ? t(formText.andMore, { names: shown, more }) : shown)}
        {pricesHere && (
          <Suspense fallback={null}>
            <PriceFields models={unpriced} tables={tables} />
          </Suspense>
        )}
      </Notice>
    </Box>
  );
}
