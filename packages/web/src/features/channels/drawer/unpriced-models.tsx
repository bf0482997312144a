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
import { toolServerType } from './key-check.ts';

const PriceFields = lazy(async () => ({ default: (await import('./price-fields.tsx')).PriceFields }));

/** Beyond this number, names are only counted. */
const namesShown = 8;
/** Maximum number of names in an address. */
const namesLinked = 200;

/** The names that prices apply to: the caller's names, or the targets of a mapping. */
function namesToPrice({ models, modelMapping, priceAfterMapping }: ChannelForm): string[] {
  const mapping = priceAfterMapping ? readMapping(modelMapping) : {};
  return [...new Set(models.map((model) => pricedName(follow(mapping, model))))];
}

/** The name at the end of a mapping; the model itself for a circular mapping, which saving refuses. */
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

/** An incomplete mapping maps nothing. */
function readMapping(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Lists the channel's models without a price, whose calls are refused, with a link to price them. */
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
              // The form keeps its input.
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
            <PriceFields models={unpriced} tables={tables} isByCall={form.type === toolServerType} />
          </Suspense>
        )}
      </Notice>
    </Box>
  );
}
