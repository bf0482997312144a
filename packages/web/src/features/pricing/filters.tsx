import { Button, Tooltip } from '@mantine/core';
import { Check, Columns3, Copy } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { useCopy } from '../../shared/copy/use-copy.tsx';
import { ChoiceField } from '../../shared/filter-bar/choice-field.tsx';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { abilityNames, factsText, vendorNames } from './facts/facts-text.ts';
import { ratioOf, type PriceView } from './base/rows.ts';
import { pricingSearch } from './base/search.ts';
import { text } from './base/text.ts';

interface FiltersProps {
  view: PriceView;
  onGroup: (group: string) => void;
  /** The ticked models. */
  selected: string[];
}

/** Filters of the list, and actions on the ticked models. */
export function Filters({ view, onGroup, selected }: FiltersProps) {
  const t = useTranslate();
  const [{ q, type, vendor, ability }, setSearch] = useUrlState(pricingSearch);
  return (
    <FilterBar
      first={
        <SearchField
          label={t(text.search)}
          value={q}
          onChange={(next) => setSearch({ q: next, p: 1 }, { typed: true })}
        />
      }
      usual={
        <>
          <GroupSelect view={view} onChange={onGroup} />
          <ChoiceField
            aria-label={t(text.billing)}
            w={150}
            data={[
              { value: 'all', label: t(text.typeAll) },
              { value: 'tokens', label: t(text.perToken) },
              { value: 'calls', label: t(text.perCall) },
            ]}
            value={type}
            onChange={(next) => setSearch({ type: next, p: 1 })}
          />
          <ChoiceField
            aria-label={t(factsText.vendor)}
            w={140}
            data={[
              { value: '', label: t(factsText.anyVendor) },
              ...Object.entries(vendorNames).map(([value, label]) => ({ value, label })),
            ]}
            value={vendor}
            onChange={(next) => setSearch({ vendor: next, p: 1 })}
          />
          <ChoiceField
            aria-label={t(factsText.ability)}
            w={150}
            data={[
              { value: '', label: t(factsText.anyAbility) },
              ...Object.entries(abilityNames).map(([value, label]) => ({ value, label: t(label) })),
            ]}
            value={ability}
            onChange={(next) => setSearch({ ability: next, p: 1 })}
          />
          {selected.length > 0 && (
            <>
              <CompareSelected
                names={selected}
                onCompare={(names) => setSearch({ compare: names.join(',') })}
              />
              <CopySelected names={selected} />
            </>
          )}
        </>
      }
    />
  );
}

function GroupSelect({ view, onChange }: { view: PriceView; onChange: (group: string) => void }) {
  const t = useTranslate();
  const [{ ratios }] = useUrlState(pricingSearch);
  const names = [...new Set([view.group, ...Object.keys(view.usableGroups)])];
  return (
    <ChoiceField
      aria-label={t(text.group)}
      w={170}
      data={names.map((group) => ({
        value: group,
        label: ratios
          ? t(text.groupOption, { group, ratio: ratioOf(view, group) })
          : t(text.groupPlain, { group }),
      }))}
      value={view.group}
      onChange={onChange}
    />
  );
}

const asleep = { 'data-disabled': true, 'aria-disabled': true } as const;

interface CompareSelectedProps {
  names: string[];
  onCompare: (names: string[]) => void;
}

/** Two to four models fit side by side. */
function CompareSelected({ names, onCompare }: CompareSelectedProps) {
  const t = useTranslate();
  const fits = names.length >= 2 && names.length <= 4;
  return (
    <Tooltip label={t(text.compareHint)} disabled={fits}>
      <Button
        variant="default"
        leftSection={<Columns3 size={14} />}
        {...(fits ? {} : asleep)}
        onClick={() => fits && onCompare(names)}
      >
        {t(text.compare)}
      </Button>
    </Tooltip>
  );
}

/** Copies the ticked names as a comma list, the format of the model fields of clients and channels. */
function CopySelected({ names }: { names: string[] }) {
  const t = useTranslate();
  const { copy, copied } = useCopy();
  return (
    <Button
      variant="default"
      leftSection={copied ? <Check size={14} /> : <Copy size={14} />}
      onClick={() => void copy(names.join(','))}
    >
      {t(text.copySelected, { count: names.length })}
    </Button>
  );
}
