import { useLanguage, useSay } from '../../lib/i18n.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { imageWords } from '../../shared/prices/image-words.ts';
import { formatPrice } from '../../shared/prices/prices.ts';
import { DescriptionList } from '../../ui/description-list.tsx';
import { ratioText } from './ratio-text.ts';

/** What ratios mean, with an example, and how calls and images are charged. */
export function RatioExplanation() {
  const say = useSay();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  return (
    <div style={{ display: 'grid', gap: 14, fontSize: 13.5, lineHeight: 1.6 }}>
      <p style={{ margin: 0 }}>{say(ratioText.intro, { perUnit: formatNumber(perUnit, language) })}</p>
      <DescriptionList
        rows={[
          [
            say(ratioText.modelName),
            say(ratioText.model, { price: formatPrice(Number((1_000_000 / perUnit).toPrecision(12))) }),
          ],
          [say(ratioText.completionName), say(ratioText.completion)],
          [say(ratioText.groupName), say(ratioText.group)],
          [say(ratioText.cacheName), say(ratioText.cache)],
          [say(ratioText.audioName), say(ratioText.audio)],
          [say(ratioText.imagesName), `${say(ratioText.images)} ${imageWords(say)}`],
        ]}
      />
      <p style={{ margin: 0, color: 'var(--tg-text-2)' }}>
        <strong>{say(ratioText.exampleTitle)}</strong>{' '}
        {say(ratioText.example, { price: formatPrice(Number((3750 / perUnit).toPrecision(12))) })}
      </p>
    </div>
  );
}
