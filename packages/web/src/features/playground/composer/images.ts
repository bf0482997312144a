/** What browsers show and vendors read. */
export const imageTypes = 'image/png,image/jpeg,image/webp,image/gif';

/** Images of one message. */
export const maxImages = 6;

/** The longest side sent, in pixels: vendors shrink what is larger, and bill it all the same. */
const maxSide = 1568;
/** Up to this size, in bytes, a file goes as it is. */
const plainBytes = 600_000;

/** The images among files; others are left out. */
export const imagesAmong = (files: Iterable<File>): File[] =>
  [...files].filter(({ type }) => imageTypes.split(',').includes(type));

function readAsDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () =>
      typeof reader.result === 'string' ? resolve(reader.result) : reject(new Error('no text')),
    );
    reader.addEventListener('error', () => reject(reader.error ?? new Error('not readable')));
    reader.readAsDataURL(file);
  });
}

/** An image as a data URL, made smaller when it is large. Rejects what is no image. */
export async function toDataUrl(file: File): Promise<string> {
  const picture = await createImageBitmap(file);
  const shrink = Math.min(1, maxSide / Math.max(picture.width, picture.height));
  if (shrink === 1 && file.size <= plainBytes) {
    picture.close();
    return readAsDataUrl(file);
  }
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * shrink);
  canvas.height = Math.round(picture.height * shrink);
  const pen = canvas.getContext('2d');
  if (!pen) throw new Error('no canvas');
  // What was transparent would become black.
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas.toDataURL('image/jpeg', 0.86);
}
