import { Button, Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Download, Maximize2, Receipt } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { CopyableId } from '../../../shared/copy/copyable-id.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { text, viewText } from '../base/text.ts';
import { actionLabel, statusLabel } from '../base/labels.ts';
import type { Work } from '../base/work.ts';
import { Cost, Took } from '../cells/cells.tsx';
import { Stage } from './stage.tsx';
import classes from './view.module.css';

interface WorkViewProps {
  /** The open task; undefined for none. */
  work: Work | undefined;
  onClose: () => void;
}

/** An open task: its output, its prompt and its cost. */
export function WorkView({ work, onClose }: WorkViewProps) {
  const t = useTranslate();
  return (
    <Modal
      opened={work !== undefined}
      onClose={onClose}
      size={760}
      title={work && t(actionLabel(work.action))}
      closeButtonProps={{ 'aria-label': t(viewText.close) }}
    >
      {work && (
        <div className={classes.view}>
          <Stage work={work} />
          <p className={classes.prompt}>{work.prompt || t(viewText.noPrompt)}</p>
          <Actions work={work} />
          <About work={work} />
        </div>
      )}
    </Modal>
  );
}

function Actions({ work }: { work: Work }) {
  const t = useTranslate();
  const file = work.video || work.picture;
  return (
    <div className={classes.actions}>
      {work.prompt !== '' && <CopyButton value={work.prompt} label={t(viewText.copyPrompt)} />}
      {file !== '' && (
        <>
          <Button
            component="a"
            href={file}
            target="_blank"
            rel="noreferrer"
            size="sm"
            variant="default"
            leftSection={<Maximize2 size={14} />}
          >
            {t(viewText.openFull)}
          </Button>
          <Button
            component="a"
            href={file}
            download={work.taskId}
            target="_blank"
            rel="noreferrer"
            size="sm"
            variant="default"
            leftSection={<Download size={14} />}
          >
            {t(viewText.download)}
          </Button>
        </>
      )}
      <Button
        renderRoot={(props) => (
          <Link to="/log" search={{ request: work.requestId, range: 'all' }} {...props} />
        )}
        size="sm"
        variant="default"
        leftSection={<Receipt size={14} />}
      >
        {t(text.toLog)}
      </Button>
    </div>
  );
}

function About({ work }: { work: Work }) {
  const t = useTranslate();
  const { word, tone } = statusLabel(work.status);
  return (
    <DescriptionList
      rows={[
        [
          t(text.status),
          <Tag key="status" tone={tone}>
            {t(word)}
          </Tag>,
        ],
        [t(text.reason), work.reason],
        [t(viewText.model), work.model],
        [t(viewText.length), work.seconds > 0 ? t(text.seconds, { count: work.seconds }) : ''],
        [t(viewText.size), work.size],
        [
          t(text.cost),
          <Cost key="cost" quota={work.quota} status={work.status} requestId={work.requestId} />,
        ],
        [t(text.submitTime), <Time key="time" at={work.submitTime} seconds />],
        [t(text.took), <Took key="took" from={work.submitTime} to={work.finishTime} />],
        [t(text.taskId), <CopyableId key="id" id={work.taskId} what={t(text.taskId)} />],
      ]}
    />
  );
}
