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
  older: (): FaultWords => ({
    what: "这个资料库的版本太旧，当前的 Assay 已不再支持。",
    means: "资料库原封未动。",
    todo: "先用早一些的 Assay 打开一次，或另选一个资料库。",
  }),
  "not-a-library": (): FaultWords => ({
    what: "这个文件不是 Assay 资料库。",
    means: "文件原封未动。",
    todo: "请为资料库另选位置。",
  }),
  deleted: (): FaultWords => ({
    what: "你已从资料库中删除这个对话。",
    means: "它仍保留着，可以恢复；导入时会跳过它。",
    todo: "恢复后即可再次查看。",
  }),
  "not-empty": (): FaultWords => ({
    what: "文件夹不是空的。",
    means: "没有写入任何内容。",
    todo: "请选择一个新文件夹。",
  }),
  "not-a-label": (): FaultWords => ({
    what: "标签为空或过长。",
    means: "没有更改任何内容。",
    todo: "请使用不超过 60 个字符的标签。",
  }),
  "in-use": (): FaultWords => ({
    what: "资料库正被另一个程序使用。",
    means: "没有写入任何内容。",
    todo: "关闭那个程序，或稍后再试。",
  }),
  io: (): FaultWords => ({
    what: "磁盘没有正常响应。",
    means: "没处理到的保持原样，不会只做一半。",
    todo: "检查磁盘是否连接、是否完好，再试一次。",
  }),
  gone: (): FaultWords => ({
    what: "找到之后，有文件不见了。",
    means: "它的对话这次略过，资料库里已有的不受影响。",
    todo: "重新预览，看看现在有什么。",
  }),
  panicked: (): FaultWords => ({
    what: "Assay 在一段对话上出了错。",
    means: "只略过这一段，其余照常。这是 Assay 的问题，不是你的数据。",
    todo: "请附上下面的详情反馈。",
  }),
  "same-id": (): FaultWords => ({
    what: "同一来源有两段对话编号相同。",
    means: "第二段没有导入，以免互相覆盖。",
    todo: "打开对话可以看到两者，无需处理。",
  }),
  "source-failed": (): FaultWords => ({
    what: "有一个来源无法读取。",
    means: "其中的对话没有计入。其他来源照常进行。",
    todo: "重新查找；若仍如此，关闭该工具后再试。",
  }),
  "scan-incomplete": (): FaultWords => ({
    what: "来源的一部分没能列出。",
    means: "列出的照常读取，也不会因此把什么标为已消失。",
    todo: "看看下面的详情，然后重新查找。",
  }),
  "unknown-source": (): FaultWords => ({
    what: "这个版本不认识该来源。",
    means: "没有读取，也没有改动任何内容。",
    todo: "请更新 Assay。",
  }),
  "fixture-not-run": (): FaultWords => ({
    what: "有一条规则在本版本里没能检验。",
    means: "你的数据不受影响，但这项检验结果不可靠。",
    todo: "请附上下面的详情反馈。",
  }),
  "settings-not-saved": (): FaultWords => ({
    what: "设置没能保存。",
    means: "在关闭 Assay 之前仍然有效。",
    todo: "请检查资料库所在的文件夹是否可写。",
  }),
  "no-such-root": (): FaultWords => ({
    what: "那个位置已不在查找之列。",
    means: "没有任何改动。",
    todo: "请重新查找工具。",
  }),
  "no-such-conversation": (): FaultWords => ({
    what: "这段对话已不在原处。",
    means: "没有任何改动，资料库里已有的不受影响。",
    todo: "请重新预览这个来源。",
  }),
  "no-such-item": (): FaultWords => ({
    what: "对话的那一部分已经不在了。",
    means: "打开之后对话有了变化。",
    todo: "请重新打开。",
  }),
  "no-such-entry": (): FaultWords => ({
    what: "那条记录已经不在了。",
    means: "打开之后对话有了变化。",
    todo: "请重新打开。",
  }),
  "no-sample": (): FaultWords => ({
    what: "示例数据没能准备好。",
    means: "你自己的数据不受影响。",
    todo: "请在临时文件夹里腾出空间，再试一次。",
  }),
  "library-gone": (): FaultWords => ({
    what: "资料库已不在原处。",
    means: "没有写入任何内容。如果文件被移动了，已导入的内容都在移动后的文件里。",
    todo: "请选择它现在的位置。",
  }),
  "no-library": (): FaultWords => ({
    what: "还没有资料库。",
    means: "还没有导入过任何内容。",
    todo: "导入一次，资料库就会建立。",
  }),
  "ambiguous-id": (): FaultWords => ({
    what: "不止一段对话用这个编号。",
    means: "没有做任何处理。",
    todo: "请同时指明来源。",
  }),
  "not-written": (): FaultWords => ({
    what: "文件没能写入。",
    means: "其他内容没有改动。",
    todo: "换一个位置，或腾出空间。",
  }),
  internal: (): FaultWords => ({
    what: "Assay 内部有一步停下了。",
    means: "来源只读不写，资料库只留完整的内容。",
    todo: "请再试一次。若仍如此，请附上下面的详情反馈。",
  }),
  "not-revealed": (): FaultWords => ({
    what: "文件管理器没有打开。",
    means: "没有任何改动。",
    todo: "请自行打开文件夹，路径在下面。",
  }),
  "not-copied": (): FaultWords => ({
    what: "没能复制到剪贴板。",
    means: "没有任何改动。",
    todo: "请选中文字后手动复制。",
  }),
  "inside-a-store": (): FaultWords => ({
    what: "这个位置在工具的数据文件夹里。",
    means: "Assay 从不往工具的数据文件夹写入内容，所以没有保存。",
    todo: "请换一个文件夹。",
  }),
  "over-the-library": (): FaultWords => ({
    what: "这个文件就是资料库本身。",
    means: "资料库绝不会被覆盖，所以没有保存。",
    todo: "请换一个文件名。",
  }),
  "over-a-database": (): FaultWords => ({
    what: "这个文件是一个数据库。",
    means: "它可能是备份，也可能是某个程序的数据，因此不会被覆盖，也没有保存任何内容。",
    todo: "请换一个文件名。",
  }),
  "link-refused": (): FaultWords => ({
    what: "这类链接不会打开。",
    means: "只有网页和邮件地址可以离开窗口。",
    todo: "如果信得过，可以复制地址。",
  }),
  "link-not-opened": (): FaultWords => ({
    what: "没有程序打开这个链接。",
    means: "没有任何改动。",
    todo: "请把地址复制到浏览器。",
  }),
  "no-such-run": (): FaultWords => ({
    what: "没有这次导入。",
    means: "没有保存，也没有改动任何内容。",
    todo: "请从以往的导入里选一次。",
  }),
  interrupted: (): FaultWords => ({
    what: "搜索已中止。",
    means: "没有出错，只是被后来的搜索取代了。",
    todo: "如果还需要结果，请再搜一次。",
  }),
  "source-changed": (): FaultWords => ({
    what: "原始存储中这个位置的内容已经变了。",
    means: "资料库里保存的内容完整无缺，只是无法再显示当时的原始记录。",
    todo: "预览这个来源，可以看到记录现在的样子。",
  }),
  "bad-time": (): FaultWords => ({
    what: "筛选条件里的日期无法识别。",
    means: "没有执行搜索。",
    todo: "请重新选择日期，或清除筛选。",
  }),
  "unknown-role": (): FaultWords => ({
    what: "筛选条件里的角色，这个版本不认识。",
    means: "没有执行搜索。",
    todo: "请清除筛选后再搜。",
  }),
  "unknown-format": (): FaultWords => ({
    what: "这个版本无法导出为该格式。",
    means: "没有写入任何内容。",
    todo: "请换一种格式。",
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
