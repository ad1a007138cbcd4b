package harness

// KeepWorker keeps a reference to the page's worker for the test, and makes the page's seconds last a twentieth.
const KeepWorker = `(() => {
	const Old = Worker, every = setInterval;
	globalThis.Worker = class extends Old { constructor(...a) { super(...a); globalThis.__worker = this; globalThis.__made?.(this); } };
	globalThis.setInterval = (f, millis, ...a) => every(f, millis === 1000 ? 50 : millis, ...a);
})()`

// Dialog is the expression of the dialog that the page shows when its worker has ended.
const Dialog = "stage.find('[role=alertdialog]')"
