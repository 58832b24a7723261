import { mount } from "svelte";
import App from "./App.svelte";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/code.css";

const target = document.getElementById("app");
if (target) mount(App, { target });
