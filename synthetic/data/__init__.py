"""The data of the ridge world: tables of rows, dealt to devices, and how rows are sampled."""
