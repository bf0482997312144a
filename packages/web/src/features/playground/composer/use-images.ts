import { useState, type ClipboardEvent, type DragEvent } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { imagesAmong, maxImages, toDataUrl } from './images.ts';
import { composerText as text } from '../base/text.ts';

/** The images of the current message: pasted, dropped or picked. */
export function useImages() {
  const t = useTranslate();
  const [images, setImages] = useState<readonly string[]>([]);
  const [isOver, setOver] = useState(false);

  const add = async (files: readonly File[]) => {
    const pictures = imagesAmong(files);
    if (pictures.length < files.length) toast.bad(t(text.notImages));
    const fitting = pictures.slice(0, maxImages - images.length);
    if (fitting.length < pictures.length) toast.bad(t(text.tooMany, { count: maxImages }));
    for (const file of fitting) {
      try {
        const url = await toDataUrl(file);
        setImages((known) => (known.length < maxImages ? [...known, url] : known));
      } catch {
        toast.bad(t(text.badImage, { name: file.name }));
      }
    }
  };

  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    // Copied cells and pages have an image beside their text; only the text is pasted.
    if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return;
    event.preventDefault();
    void add(files);
  };
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  const dropZone = {
    onDragOver: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      const { currentTarget, relatedTarget } = event;
      if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      void add([...event.dataTransfer.files]);
    },
  };
  return {
    images,
    isOver,
    dropZone,
    onPaste,
    add,
    remove: (index: number) => setImages((known) => known.filter((_image, at) => at !== index)),
    clear: () => setImages([]),
  };
}
