import type { faults as english, FaultWords } from "../en/faults";

type Params = Record<string, string>;

export const faults = {
  newer: (): FaultWords => ({
    what: "这个资料库由更新版本的 Assay 写成。",
    means: "资料库原封未动，但在这里不能往里导入。",
    todo: "请更新 Assay，或另选一个资料库。",
  }),
  damaged: (): FaultWords => ({
    what: "资料库文件已损坏。",
    means: "各工具自己的会话不受影响。为免情况变糟，导入已停用。",
    todo: "把文件移到别处，换上备份，再重新打开 Assay。",
  }),
  locked: (): FaultWords => ({
    what: "文件正被另一个程序使用。",
    means: "没有读取，也没有改动任何内容。",
    todo: "关闭那个程序，或稍后再试。",
  }),
  "disk-full": (): FaultWords => ({
    what: "磁盘已满。",
    means: "已写入的对话是完整的，其余保持原样。",
    todo: "腾出空间后再导入一次，会从停下的地方继续。",
  }),
  "no-permission": (p: Params): FaultWords => ({
    what: p.path ? `Assay 无权读取 ${p.path}。` : "Assay 无权读取这个位置。",
    means: "那里的内容没有计入，也不会导入；其余一切照常。",
    todo: "请在系统设置里允许访问，然后重新查找。",
  }),
  "not-found": (p: Params): FaultWords => ({
    what: p.path ? `${p.path} 已经不在了。` : "要找的内容已经不在了。",
    means: "预览之后工具移走或删除了它。资料库没有变化。",
    todo: "重新预览，看看现在有什么。",
  }),
  encrypted: (): FaultWords => ({
    what: "工具给这个存储加了密。",
    means: "除了工具本身，谁也读不了里面的对话。以前导入的仍在资料库里。",
    todo: "如果工具支持，请从工具里导出。",
  }),
  stalled: (): FaultWords => ({
    what: "这个存储没有响应。",
    means: "可能在没连上的磁盘里。其他来源照常进行。",
    todo: "重新连接磁盘，然后重新查找。",
  }),
  busy: (): FaultWords => ({
    what: "另一项工作还在进行。",
    means: "这次没有开始，什么都没变。",
    todo: "等它完成，或先取消它。",
  }),
  "not-previewed": (): FaultWords => ({
    what: "还没有预览。",
    means: "没有预览，这里就没有可看的。",
    todo: "先预览这个来源，不会写入任何内容。",
  }),
  "read-failed": (p: Params): FaultWords => ({
    what: p.path ? `无法读取 ${p.path}。` : "有一个存储无法读取。",
    means: "其中的对话没有计入。其他来源照常进行。",
    todo: "检查磁盘是否连接、是否完好，然后重新查找。",
  }),
  "write-failed": (p: Params): FaultWords => ({
    what: p.path ? `无法写入 ${p.path}。` : "无法写入文件。",
    means: "那里什么都没存下，你的数据没有变化。",
    todo: "换一个文件夹，或腾出空间。",
  }),
  unexpected: (): FaultWords => ({
    what: "出现了 Assay 没有料到的问题。",
    means: "来源只读不写，你的会话保持原样。",
    todo: "请再试一次。若仍如此，请附上下面的详情反馈。",
  }),
} satisfies typeof english;

export const faultUnknown = (p: Params): FaultWords => ({
  what: `出了问题（${p.code ?? ""}）。`,
  means: "来源只读不写，你的会话保持原样。",
  todo: "请再试一次。若仍如此，请附上下面的详情反馈。",
});
