import type { ComboboxData } from '@mantine/core';
import { modelKindOf, type PricingItem, videoRateOf } from '@tollgate/contract';
import { useMemo } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { formatPrice, pricesOf } from '../../../shared/prices/prices.ts';
import { SearchSelect } from '../../../shared/search-select/search-select.tsx';
import { groupFor } from './catalogue.ts';
import classes from './side-panel.module.css';
import { kindText, panelText as text } from '../base/text.ts';
import type { Offer } from './use-choice.ts';

/** Most vendors charge videos by the second. */
const unitOf = ({ model_name: name }: PricingItem) => (videoRateOf(name) ? text.perSecond : text.perCall);

/** Price of a model in the selected group, as in the price list. */
function usePriceText(groupRatio: number): (item: PricingItem | undefined) => string {
  const t = useTranslate();
  const { perUnit } = useQuotaDisplay();
  return (item) => {
    if (!item) return '';
    if (item.unset) return t(text.unset);
    const prices = pricesOf(item, groupRatio, perUnit);
    if (prices.by === 'call')
      return prices.call === 0 ? t(text.free) : t(unitOf(item), { price: formatPrice(prices.call) });
    const { input, output } = prices.perMillion;
    if (input === 0) return t(text.free);
    return t(text.perMillion, { input: formatPrice(input), output: formatPrice(output) });
  };
}

/** All models with their prices in the selected group; a model of another group switches to that group. */
export function ModelPicker({ offer }: { offer: Offer }) {
  const t = useTranslate();
  const { choice, change } = offer;
  const priceWords = usePriceText(offer.groupRatio);
  const kindLabel = (name: string) => {
    const kind = modelKindOf(name);
    return kind === 'chat' ? '' : t(kindText[kind]);
  };
  const models = useMemo(() => offer.models ?? [], [offer.models]);
  const byName = useMemo(() => new Map(models.map((model) => [model.name, model])), [models]);
  const data = useMemo((): ComboboxData => {
    const names = (here: boolean) => models.filter((model) => model.here === here).map(({ name }) => name);
    const elsewhere = names(false);
    if (elsewhere.length === 0) return names(true);
    return [
      { group: t(text.modelsHere), items: names(true) },
      { group: t(text.modelsElsewhere), items: elsewhere },
    ].filter(({ items }) => items.length > 0);
  }, [models, t]);

  const choose = (name: string | null) => {
    const model = name === null ? undefined : byName.get(name);
    if (!model) return;
    const group = groupFor(
      model.price,
      choice.group,
      offer.groups.map((each) => each.name),
    );
    change({ model: model.name, group });
    if (group !== choice.group) toast.info(t(text.switched, { group }));
  };

  return (
    <SearchSelect
      label={t(text.model)}
      placeholder={t(text.noModels)}
      data={data}
      value={choice.model || null}
      onChange={choose}
      allowDeselect={false}
      limit={200}
      maxDropdownHeight={420}
      nothingFoundMessage={t(text.noMatch)}
      description={priceWords(offer.price)}
      renderOption={({ option }) => {
        const model = byName.get(option.value);
        const groups = model?.here === false ? (model.price?.enable_groups.join(', ') ?? '') : '';
        return (
          <span className={classes.option}>
            <span className={classes.name}>{option.value}</span>
            <span className={classes.price}>
              {[kindLabel(option.value), groups || priceWords(model?.price)].filter(Boolean).join(' · ')}
            </span>
          </span>
        );
      }}
    />
  );
}
