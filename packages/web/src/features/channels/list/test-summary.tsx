import { CloseButton } from '@mantine/core';
import { sayChannelFailure, type ChannelTestProgress } from '@tollgate/contract';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { Notice } from '../../../ui/notice.tsx';
import { batchText as text } from '../base/text.ts';

interface TestSummaryProps {
  result: ChannelTestProgress;
  onClose: () => void;
}

/** What a test of all channels found: how many failed, and of each of them why. */
export function TestSummary({ result, onClose }: TestSummaryProps) {
  const t = useTranslate();
  const language = useLanguage();
  const { done, failed, failures } = result;
  return (
    <div style={{ padding: '0 16px 12px' }}>
      <Notice
        tone={failed === 0 ? 'good' : 'bad'}
        role="status"
        actions={<CloseButton size="sm" aria-label={t(text.close)} onClick={onClose} />}
      >
        {t(failed === 0 ? text.allPassed : text.someFailed, { done, failed })}
        {failures.length > 0 && (
          <ul style={{ margin: '6px 0 0', paddingInlineStart: 18, maxHeight: 180, overflowY: 'auto' }}>
            {failures.map(({ id, name, failure }) => (
              <li key={id}>
                <strong>{name}</strong> · {sayChannelFailure(failure, language)}
              </li>
            ))}
          </ul>
        )}
        {failed > failures.length && t(text.moreFailed, { count: failed - failures.length })}
      </Notice>
    </div>
  );
}
