import { Drawer, Tabs } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { siteAddress } from '../../lib/address.ts';
import { useStatus } from '../../lib/api/status.ts';
import { translate, useLanguage, useTranslate, type Language } from '../../lib/i18n.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Notice } from '../../ui/notice.tsx';
import classes from './playground.module.css';
import { rawText as text, text as words } from './base/text.ts';
import type { Exchange, Message } from './base/types.ts';

/** A text as one shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * The request of an answer as a call for any program. It uses a key, which defines the group.
 *
 * @param origin - the site's own address, without a trailing slash
 */
export function asCurl(origin: string, request: unknown): string {
  const { group: _group, ...body } = request as Record<string, unknown>;
  return [
    `curl ${origin}/v1/chat/completions`,
    '-H "Authorization: Bearer $API_KEY"',
    '-H "Content-Type: application/json"',
    `-d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ');
}

interface RawDrawerProps {
  /** The shown answer; undefined for none. */
  answer: Message | undefined;
  exchange: Exchange | undefined;
  onClose: () => void;
}

/** The raw request and answer. */
export function RawDrawer({ answer, exchange, onClose }: RawDrawerProps) {
  const t = useTranslate();
  const isPhone = useMediaQuery(phoneQuery) ?? false;
  const shown = answer?.role === 'assistant' ? answer : undefined;
  return (
    <Drawer
      opened={shown !== undefined}
      onClose={onClose}
      size={isPhone ? '100%' : 680}
      title={t(text.title)}
      closeButtonProps={{ 'aria-label': t(words.closePanel) }}
    >
      {shown && (
        <div className={classes.raw}>
          {shown.requestId !== null && (
            <div className={classes.rawId}>
              {t(text.requestId)} <code>{shown.requestId}</code>
              <CopyButton value={shown.requestId} what={t(text.requestId)} size="xs" />
            </div>
          )}
          {exchange === undefined ? (
            <Notice>{t(text.gone)}</Notice>
          ) : (
            <RawTabs exchange={exchange} content={shown.content} />
          )}
        </div>
      )}
    </Drawer>
  );
}

function RawTabs({ exchange, content }: { exchange: Exchange; content: string }) {
  const t = useTranslate();
  const language = useLanguage();
  const origin = siteAddress(useStatus());
  const request = JSON.stringify(exchange.request, shortImages(language), 2);
  const shortened: unknown = JSON.parse(request);
  const stream = exchange.events.map((event) => `data: ${event}`).join('\n\n');
  return (
    <Tabs defaultValue="request" variant="pills" keepMounted={false}>
      <Tabs.List mb="sm">
        <Tabs.Tab value="request">{t(text.request)}</Tabs.Tab>
        <Tabs.Tab value="curl">curl</Tabs.Tab>
        <Tabs.Tab value="stream">{t(text.stream)}</Tabs.Tab>
        <Tabs.Tab value="answer">{t(text.answer)}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="request">
        <CodeBlock
          label={t(text.request)}
          code={request}
          // The copy is complete; the display omits the middle of images.
          action={<CopyButton value={JSON.stringify(exchange.request, null, 2)} what={t(text.request)} />}
        />
      </Tabs.Panel>
      <Tabs.Panel value="curl">
        <p className={classes.rawNote}>{t(text.curlNote)}</p>
        <CodeBlock
          label="curl"
          code={asCurl(origin, shortened)}
          action={<CopyButton value={asCurl(origin, exchange.request)} what="curl" />}
        />
      </Tabs.Panel>
      <Tabs.Panel value="stream">
        <p className={classes.rawNote}>{t(text.events, { count: exchange.events.length })}</p>
        <CodeBlock
          label={t(text.stream)}
          code={stream || t(text.noEvents)}
          action={<CopyButton value={stream} what={t(text.stream)} />}
        />
      </Tabs.Panel>
      <Tabs.Panel value="answer">
        <CodeBlock
          label={t(text.answer)}
          code={content}
          action={<CopyButton value={content} what={t(text.answer)} />}
        />
      </Tabs.Panel>
    </Tabs>
  );
}

/** Number of displayed characters of an image. */
const shownOfImage = 64;

/** Images are long and unreadable. */
const shortImages =
  (language: Language) =>
  (_key: string, value: unknown): unknown =>
    typeof value === 'string' && value.startsWith('data:image/') && value.length > shownOfImage
      ? value.slice(0, shownOfImage) + translate(language, text.imageCut, { count: value.length })
      : value;
