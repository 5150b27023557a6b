// pi-mnemopi: remember and recall of its class; vectors through the provider function of its options.
import { readFileSync } from "node:fs";
import { Mnemopi } from "@oh-my-pi/pi-mnemopi";

type Item = { id: string; text: string };
type Order = { do: string; folder: string; url: string; dimensions: number; items: Item[]; text: string; top: number };

const answers = process.stdout.write.bind(process.stdout);
console.log = (...said: unknown[]) => process.stderr.write(`${said.join(" ")}\n`);
const own = `${import.meta.dir}/node_modules/@oh-my-pi/pi-mnemopi/package.json`;
const version = `${JSON.parse(readFileSync(own, "utf8")).version}, bun ${Bun.version}`;
const ids = new Map<string, string>();
let memory: Mnemopi;

function opened(order: Order): object {
	const provider = {
		available: () => true,
		async *embed(texts: string[]) {
			const answer = await fetch(`${order.url}/embeddings`, {
				method: "POST",
				headers: { "Content-Type": "application/json" },
				body: JSON.stringify({ model: "benchmark", input: texts }),
			});
			const read = (await answer.json()) as { data: { embedding: number[] }[] };
			yield read.data.map(row => row.embedding);
		},
	};
	const vectors = order.url ? { embeddings: { provider } } : { noEmbeddings: true };
	memory = new Mnemopi({ dbPath: `${order.folder}/bank.db`, llm: false, ...vectors });
	return { version };
}

async function filled(items: Item[]): Promise<object> {
	for (const item of items) {
		const id = memory.remember(item.text, { source: "conversation" }) as string;
		if (!ids.has(id)) ids.set(id, item.id);
	}
	await memory.flushExtractions();
	return {};
}

async function asked(text: string, top: number): Promise<object> {
	const hits = (await memory.recall(text, top)) as { id: string }[];
	return { ids: hits.map(hit => ids.get(hit.id) ?? `other:${hit.id}`) };
}

for await (const line of console) {
	const order = JSON.parse(line) as Order;
	const started = performance.now();
	let answer: object;
	try {
		if (order.do === "open") answer = opened(order);
		else if (order.do === "fill") answer = await filled(order.items);
		else answer = await asked(order.text, order.top);
	} catch (error) {
		answer = { error: String(error) };
	}
	answers(`${JSON.stringify({ ...answer, seconds: (performance.now() - started) / 1000 })}\n`);
}
process.exit(0);
