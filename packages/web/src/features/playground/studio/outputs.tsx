import { ActionIcon, Tooltip } from '@mantine/core';
import { Download } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { studioText as text } from '../base/studio-text.ts';
import classes from './studio.module.css';
import type { Output, Work } from './works.ts';

/** The result of a call: a row of images, players, or a text. */
export function Outputs({ work }: { work: Work }) {
  const { outputs } = work;
  if (outputs.length === 0) return null;
  return (
    <ul className={classes.outputs} data-many={outputs.length > 1 || undefined}>
      {outputs.map((output, index) => (
        <li key={output.url} className={classes.output}>
          <Shown output={output} index={index} prompt={work.prompt} />
          {work.status === 'done' && output.type !== 'text' && <Save output={output} />}
        </li>
      ))}
    </ul>
  );
}

function Shown({ output, index, prompt }: { output: Output; index: number; prompt: string }) {
  const t = useTranslate();
  const { type, url, name } = output;
  const label = t(text.player, { name });
  if (type === 'image')
    return (
      <img className={classes.picture} src={url} alt={prompt || t(text.picture, { index: index + 1 })} />
    );
  // The audio is the user's own text or a song, so there is no caption.
  if (type === 'audio') return <audio className={classes.sound} controls src={url} aria-label={label} />;
  if (type === 'video')
    return <video className={classes.video} controls loop playsInline src={url} aria-label={label} />;
  return (
    <div className={classes.words}>
      <p>{url}</p>
      <CopyButton value={url} what={t(text.results)} />
    </div>
  );
}

function Save({ output }: { output: Output }) {
  const t = useTranslate();
  return (
    <Tooltip label={t(text.download)}>
      <ActionIcon
        component="a"
        href={output.url}
        download={output.name}
        className={classes.save ?? ''}
        aria-label={t(text.download)}
      >
        <Download size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
