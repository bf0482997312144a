import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { imagePriceText } from '../../shared/prices/image-price-text.ts';
import { formatPrice } from '../../shared/prices/prices.ts';
import { DescriptionList } from '../../ui/description-list.tsx';
import { ratioText } from './ratio-text.ts';

/** Explains ratios with an example, and the charging of calls and images. */
export function RatioExplanation() {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  return (
    <div style={{ display: 'grid', gap: 14, fontSize: 13.5, lineHeight: 1.6 }}>
      <p style={{ margin: 0 }}>{t(ratioText.intro, { perUnit: formatNumber(perUnit, language) })}</p>
      <DescriptionList
        rows={[
          [
            t(ratioText.modelName),
            t(ratioText.model, { price: formatPrice(Number((1_000_000 / perUnit).toPrecision(12))) }),
          ],
          [t(ratioText.completionName), t(ratioText.completion)],
          [t(ratioText.groupName), t(ratioText.group)],
          [t(ratioText.cacheName), t(ratioText.cache)],
          [t(ratioText.audioName), t(ratioText.audio)],
          [t(ratioText.imagesName), `${t(ratioText.images)} ${imagePriceText(t)}`],
        ]}
      />
      <p style={{ margin: 0, color: 'var(--tg-text-2)' }}>
        <strong>{t(ratioText.exampleTitle)}</strong>{' '}
        {t(ratioText.example, { price: formatPrice(Number((3750 / perUnit).toPrecision(12))) })}
      </p>
    </div>
  );
}
